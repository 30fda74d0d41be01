"""The cache of an agent: results of methods of handlers."""
import heapq
import sys
import threading
import time


class CacheItem:
    """A value with the time at which it is removed."""

    def __init__(self, key, value, call_on_delete, evict_after_last_access, evict_after_creation):
        self.key = key
        self.value = value
        self.call_on_delete = call_on_delete
        self.refresh_after_access = evict_after_last_access
        now = time.time()
        self.expiry_time = self.after_creation_expiry_time = sys.float_info.max
        if evict_after_last_access > 0:
            self.expiry_time = now + evict_after_last_access
        if evict_after_creation > 0:
            self.after_creation_expiry_time = now + evict_after_creation
            self.expiry_time = min(self.expiry_time, self.after_creation_expiry_time)

    def __lt__(self, other):
        return self.expiry_time < other.expiry_time

    def delete(self):
        call, self.call_on_delete = self.call_on_delete, None
        if callable(call):
            call(self.value)

    def __del__(self):
        self.delete()

    def refresh(self, now):
        if self.refresh_after_access > 0:
            self.expiry_time = min(now + self.refresh_after_access, self.after_creation_expiry_time)


def retention(for_version, timeout, after_access, after_creation):
    """The times after the last access and after the creation at which a value is removed; the first
    two arguments are the older way to say that."""
    if for_version:
        return (after_access if after_access > 0 else 60.0), 0.0
    if for_version is not None:
        if after_creation <= 0:
            after_creation = timeout if timeout and timeout > 0 else 5000.0
        return 0.0, after_creation
    if after_creation <= 0 and after_access <= 0:
        return (0.0, timeout) if timeout and timeout > 0 else (60.0, 0.0)
    return after_access, after_creation


class AgentCache:
    def __init__(self, agent_instance=None):
        self.cache = {}
        self.timer_queue = []
        self.used = set()
        self.lock = threading.RLock()
        self._agent_instance = agent_instance

    def close(self):
        for key in list(self.cache):
            self._evict(key)
        self.timer_queue.clear()

    def _evict(self, key):
        item = self.cache.pop(key, None)
        if item is not None:
            item.delete()

    def clean_stale_entries(self):
        now = time.time()
        while self.timer_queue and now > self.timer_queue[0].expiry_time:
            item = heapq.heappop(self.timer_queue)
            if self.cache.get(item.key) is item:
                self._evict(item.key)

    def touch_used_cache_items(self):
        now = time.time()
        for item in self.used:
            item.refresh(now)
        self.used = set()
        heapq.heapify(self.timer_queue)

    def cache_value(self, key, value, evict_after_last_access=60, evict_after_creation=0, resource=None,
                    call_on_delete=None):
        item = CacheItem(
            self._key(key, resource), value, call_on_delete, evict_after_last_access, evict_after_creation
        )
        if item.key in self.cache:
            raise Exception("Added same item twice")
        self.cache[item.key] = item
        heapq.heappush(self.timer_queue, item)
        if item.refresh_after_access:
            self.used.add(item)

    def _key(self, key, resource):
        return key if resource is None else "%s__%s" % (key, resource.id.resource_str())

    def find(self, key, resource=None):
        item = self.cache[self._key(key, resource)]
        if item.refresh_after_access:
            self.used.add(item)
        return item.value

    def get_or_else(self, key, function, for_version=None, timeout=None, evict_after_last_access=60.0,
                    evict_after_creation=0.0, ignore=frozenset(), cache_none=True, call_on_delete=None, **kwargs):
        policy = retention(for_version, timeout, evict_after_last_access, evict_after_creation)
        return self.result(key, function, kwargs, policy, ignore, cache_none, call_on_delete)

    def result(self, key, function, arguments, policy, ignore, cache_none, call_on_delete):
        """The result of a function, from the cache if it is there. The policy has the times after the
        last access and after the creation at which it is removed."""
        resource = arguments.get("resource") if "resource" not in ignore else None
        for name in sorted(name for name in arguments if name != "resource" and name not in ignore):
            key = "%s,%r" % (name, arguments[name]) + key
        with self.lock:
            try:
                return self.find(key, resource)
            except KeyError:
                pass
            value = function(**arguments)
            if cache_none or value is not None:
                after_access, after_creation = policy
                self.cache_value(
                    key, value, evict_after_last_access=after_access, evict_after_creation=after_creation,
                    resource=resource, call_on_delete=call_on_delete,
                )
            return value

    def __enter__(self):
        self.clean_stale_entries()

    def __exit__(self, *_):
        self.touch_used_cache_items()
