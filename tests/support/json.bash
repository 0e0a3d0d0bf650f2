# SPDX-License-Identifier: MIT
# For tests that look into JSON files; load with: load ../support/json

# json FILE EXPRESSION: prints the value of a Python expression; d is the parsed file.
json() {
	python3 -IS -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

# boots DIR EXPRESSION: the same of the records of a set's boots, d, by their run.
boots() {
	/usr/bin/python3 -IS -c 'import glob, json, sys
d = sorted((json.load(open(path)) for path in glob.glob(sys.argv[1] + "/boots/run*.json")), key=lambda boot: boot["run"])
print(eval(sys.argv[2]))' "$1" "$2"
}
