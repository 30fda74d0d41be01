# Runs the handlers of a case with the original agent, as a test of pytest-inmanta. It does the steps of
# tests/inmanta-modules, and writes the changes of dry runs and the states to a file.
import json
import os
import pathlib
import subprocess


def test_case(project):
    case = json.loads(pathlib.Path(os.environ["CASE"]).read_text())
    steps = []

    def shell(command):
        return subprocess.run(command, shell=True, cwd=case["directory"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True).stdout

    def plan():
        contexts = project.dryrun_all().results
        changes = {f"{r.id.entity_type.lower()}[{r.id.attribute_value}]": sorted(c.changes) for r, c in contexts.items()}
        steps.append(["plan", {name: found for name, found in changes.items() if found}])

    def apply(step):
        project.deploy_all().assert_all()
        steps.append([step, shell(case["query"])])

    project.compile(case["model"], no_dedent=True)
    plan()
    apply("apply")
    plan()
    if case["damage"]:
        shell(case["damage"])
        plan()
        apply("watch")
    if case["purged"]:
        project.compile(case["purged"], no_dedent=True)
        plan()
        apply("purge")
    pathlib.Path(os.environ["STEPS"]).write_text(json.dumps(steps))
