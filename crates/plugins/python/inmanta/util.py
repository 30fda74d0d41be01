"""Small helpers."""
import hashlib


def hash_file(content):
    return hashlib.sha1(content).hexdigest()


def get_free_tcp_port():
    import socket
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]


def internal_json_encoder(value):
    raise TypeError("%r is not JSON serializable" % (value,))


api_boundary_json_encoder = custom_json_encoder = internal_json_encoder


def is_sub_dict(part, whole):
    return all(key in whole and whole[key] == value for key, value in part.items())
