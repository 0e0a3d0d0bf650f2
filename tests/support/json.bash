# SPDX-License-Identifier: MIT
# For tests that look into JSON files; load with: load ../support/json

# json FILE EXPRESSION: prints the value of a Python expression; d is the parsed file.
json() {
	python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}
