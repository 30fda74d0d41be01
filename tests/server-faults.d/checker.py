"""Compares what agents were told with what the database and the authority have. Agents must be at rest."""

import subprocess


def check(site, fleet):
    """Everything that is lost or wrong."""
    return [*facts(site, fleet), *catalogs(site, fleet), *reports(site, fleet), *certificates(site, fleet)]


def facts(site, fleet):
    sql = """select c.certname, f.value_integer from facts f join certnames c on c.id = f.certname_id
             join fact_paths p on p.id = f.path_id where p.path = 'run'"""
    stored = dict(site.query(sql))
    for node in fleet.nodes:
        found = stored.get(node.name)
        if not node.facts.allows(found):
            yield (f"facts of {node.name}: run {node.facts.acknowledged} was acknowledged, "
                   f"later ones {node.facts.uncertain} perhaps, {found} is stored")


def catalogs(site, fleet):
    # The transaction and the content must be those of the same answer.
    sql = """select c.certname, k.transaction_uuid, r.parameters::jsonb ->> 'content'
             from catalogs k join certnames c on c.id = k.certname_id
             join catalog_resources cr on cr.certname_id = c.id join resources r on r.id = cr.resource_id
             where r.title = '/etc/motd'"""
    stored = {name: (transaction, content) for name, transaction, content in site.query(sql)}
    for node in fleet.nodes:
        if not node.catalogs.allows(stored.get(node.name)):
            yield (f"catalog of {node.name}: {node.catalogs.acknowledged} was acknowledged, "
                   f"later ones {node.catalogs.uncertain} perhaps, {stored.get(node.name)} is stored")


def reports(site, fleet):
    counts = {}
    for name, transaction in site.query("""select c.certname, r.transaction_uuid from reports r
                                           join certnames c on c.id = r.certname_id"""):
        counts[name, transaction] = counts.get((name, transaction), 0) + 1
    for node in fleet.nodes:
        for transaction, is_acknowledged in node.reports.items():
            count = counts.pop((node.name, transaction), 0)
            if count > 1 or (is_acknowledged and count == 0):
                yield f"report {transaction} of {node.name}: acknowledged: {is_acknowledged}, stored {count} times"
    for name, transaction in counts:
        yield f"report {transaction} of {name} was never sent"


def certificates(site, fleet):
    ca = site.base / "authority/ca"
    inventory = {}
    for line in (ca / "inventory.txt").read_text().splitlines():
        words = line.split(" ", 3)
        if len(words) != 4 or words[0] in inventory:
            yield f"the inventory has a damaged line or a number twice: {line}"
        inventory[words[0]] = words[3]
    for name, pem in fleet.newcomers.signed.items():
        path = ca / f"signed/{name}.pem"
        if not path.exists() or path.read_bytes() != pem:
            yield f"the certificate of {name} was handed out, but another one or none is stored"
            continue
        done = subprocess.run(["openssl", "x509", "-noout", "-serial"], input=pem, stdout=subprocess.PIPE)
        serial = done.stdout.decode().strip().split("=")[1]
        if f"/CN={name}" not in {subject for number, subject in inventory.items() if int(number, 16) == int(serial, 16)}:
            yield f"the certificate {serial} of {name} is not in the inventory"
    left = [path.name for path in ca.rglob("*.tmp")]
    if left and not fleet.site.had_full_disk:
        yield f"temporary files of the authority were left over: {left[:5]}"
