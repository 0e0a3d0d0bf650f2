#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""template_steps.py FILE DIR: the shell steps of a CI template as scripts DIR/01.sh, 02.sh... in their order, each as
one shell runs it, and its variables as DIR/variables.sh, which leaves those alone that are set."""
import os
import shlex
import sys

import yaml

file, directory = sys.argv[1:]
with open(file) as text:
    template = yaml.safe_load(text)
if "jobs" in template:  # GitHub
    variables = template["env"]
    steps = [step["run"] for job in template["jobs"].values() for step in job["steps"] if "run" in step]
elif "runs" in template:  # an action of GitHub, whose variables are those of its steps
    variables = {}
    steps = [step["run"] for step in template["runs"]["steps"] if "run" in step]
else:  # GitLab runs before_script and script in one shell
    variables = template["variables"]
    steps = []
    for job in template.values():
        if isinstance(job, dict) and "script" in job:
            job = template.get(job.get("extends"), {}) | job
            steps.append("\n".join(job.get("before_script", []) + job["script"]))
            if "after_script" in job:
                steps.append("\n".join(job["after_script"]))
os.makedirs(directory, exist_ok=True)
for number, step in enumerate(steps, 1):
    with open(f"{directory}/{number:02}.sh", "w") as out:
        out.write(f"#!/bin/sh\nset -e\n{step}\n")
with open(f"{directory}/variables.sh", "w") as out:
    for name, value in variables.items():
        out.write(f'[ -n "${{{name}+set}}" ] || {name}={shlex.quote(value)}\nexport {name}\n')
