# One manual page from a text of `picknext help`, for ci/man-pages. section and name: of the page, "picknext" is that of the
# program, from the list of all commands and the topic exit-codes; subcommand: a page to refer to; topics; date; version.

function escape(text,    out, i, c) {
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		out = out (c in escapes ? escapes[c] : c)
	}
	return out
}

# Words in lines of at most 78 bytes: mandoc warns of longer ones.
function put_words(text,    word, count, i, line) {
	count = split(text, word, " ")
	for (i = 1; i <= count; i++) {
		word[i] = escape(word[i])
		if (line != "" && length(line) + 1 + length(word[i]) > 78) {
			print line
			line = ""
		}
		if (line == "" && word[i] ~ /^\./) word[i] = "\\&" word[i]
		line = line (line == "" ? "" : " ") word[i]
	}
	print line
}

# A line that is not filled; a backslash at its end continues it.
function put_line(text,    line, i, c) {
	line = text ~ /^\./ ? "\\&" : ""
	for (i = 1; i <= length(text); i++) {
		if (length(line) >= 74) {
			print line "\\"
			line = ""
		}
		line = line escape(substr(text, i, 1))
	}
	print line
}

function put_macro(macro, text) {
	print "." macro " \"" escape(text) "\""
}

function indent_of(line) {
	match(line, /^ */)
	return RLENGTH
}

# The column of a row's text: after two spaces, else after the leading ones.
function column_of(line,    indent, rest) {
	indent = indent_of(line)
	rest = substr(line, indent + 1)
	if (!match(rest, /   *[^ ]/)) return indent
	return indent + RSTART + RLENGTH - 2
}

function is_kept(line) {
	return column_of(line) == indent_of(line) && indent_of(line) > 0 && indent_of(line) < 8
}

# Text of the row or paragraph at lines[at], with the lines that go on with it: they are aligned, and in a paragraph
# their first word had no room in the line before.
function join_lines(column, last,    text, words) {
	text = substr(lines[at], column + 1)
	while (at < last && lines[at + 1] != "" && indent_of(lines[at + 1]) == column) {
		split(lines[at + 1], words, " ")
		if (column == 0 && length(lines[at]) + 1 + length(words[1]) <= 80) break
		text = text " " lines[++at]
	}
	return text
}

function put_paragraph(text) {
	if (text !~ /[a-z]/ && text ~ /[A-Z]/) {
		put_macro("SH", text)
		place = "start"
		return
	}
	if (place != "start") print (place == "paragraph" ? ".br" : ".PP")
	put_words(text)
	place = "paragraph"
}

# Lines first to last: paragraphs, rows of a list, and lines that are kept as they are, as manual/help_text.h prints them.
function put_body(first, last,    line, column, term) {
	place = "start"
	for (at = first; at <= last; at++) {
		line = lines[at]
		column = column_of(line)
		# A long first column of a row is a line of its own.
		term = is_kept(line) && at < last && indent_of(lines[at + 1]) >= 8
		if (is_kept(line) && !term) {
			if (place != "lines") print (place == "start" ? "" : ".PP\n") ".RS 4\n.EX"
			put_line(substr(line, 3))
			place = "lines"
			continue
		}
		if (place == "lines") {
			print ".EE\n.RE"
			place = "gap"
		}
		if (line == "") {
			if (place != "start") place = "gap"
		} else if (column == 0) {
			put_paragraph(join_lines(0, last))
		} else {
			place = "row"
			if (term) column = length(line)
			line = substr(line, indent_of(line) + 1, column - indent_of(line))
			if (line != "") {
				print ".TP"
				put_words(line)
			}
			if (!term) put_words(join_lines(column, last))
		}
	}
	if (place == "lines") print ".EE\n.RE"
}

function put_option(left, text,    rest) {
	print ".TP"
	rest = left
	if (sub(/^ *-., /, "", rest)) printf "\\fB%s\\fR, ", escape("-" substr(left, index(left, "-") + 1, 1))
	sub(/^ */, "", rest)
	match(rest, /^[^ []*/)
	printf "\\fB%s\\fR", escape(substr(rest, 1, RLENGTH))
	rest = substr(rest, RLENGTH + 1)
	print (rest == "" ? "" : "\\fI" escape(rest) "\\fR")
	put_words(text)
}

# "  -f, --format FORMAT         output format": the text begins in column 30, or in the next line.
function put_options(first, last,    left) {
	print ".SH \"OPTIONS\""
	for (at = first; at <= last; at++) {
		if (lines[at] ~ /^[^ ].*:$/) {
			put_macro("SS", substr(lines[at], 1, length(lines[at]) - 1))
		} else if (lines[at] != "") {
			left = lines[at]
			if (substr(left, 29, 2) == "  ") {
				left = substr(left, 1, 28)
				sub(/ *$/, "", left)
			} else {
				at++
			}
			put_option(left, join_lines(30, last))
		}
	}
}

function put_examples(first, last,    line) {
	print ".SH \"EXAMPLES\"\n.EX"
	for (at = first; at <= last; at++) {
		line = lines[at]
		sub(/^ */, "", line)
		if (match(line, / +# /)) {
			put_line(substr(line, RSTART + RLENGTH - 2))
			line = substr(line, 1, RSTART - 1)
		}
		put_line(line)
	}
	print ".EE"
}

function put_references(with_program,    page, count, i) {
	print ".SH \"SEE ALSO\""
	if (subcommand != "") print "\\fB" escape(subcommand) "\\fR(1),"
	if (with_program) print "\\fBpicknext\\fR(1)" (section == 1 ? "," : "")
	count = section == 1 ? split(topics, page, " ") : 0
	for (i = 1; i <= count; i++) print "\\fBpicknext" escape("-" page[i]) "\\fR(7)" (i < count ? "," : "")
}

# The line that is the text, from line first on; one after the last if there is none.
function find_line(text, first) {
	while (first <= NR && lines[first] != text) first++
	return first
}

function put_command(first,    options, examples) {
	options = find_line("Options:", first)
	examples = find_line("Examples:", options)
	print ".SH \"SYNOPSIS\""
	line = lines[first]
	sub(/^Usage: picknext /, "", line)
	match(line, / \[options\]/)
	print "\\fBpicknext " escape(substr(line, 1, RSTART - 1)) "\\fR\n[\\fIoptions\\fR]"
	line = substr(line, RSTART + RLENGTH + 1)
	if (line != "") put_words(line)
	if (first + 2 < options) print ".SH \"DESCRIPTION\""
	put_body(first + 2, options - 1)
	put_options(options + 1, examples - 1)
	if (examples <= NR) put_examples(examples + 1, NR)
}

# The groups of commands, and the codes of the topic after them.
function put_program(    codes) {
	print ".SH \"SYNOPSIS\"\n\\fBpicknext\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n.SH \"DESCRIPTION\""
	put_words("picknext records the decisions of the Linux scheduler, in a virtual machine or on this machine, and " \
		"turns them into data for comparing kernels and for training models.")
	put_words("Each command has a page of its own, picknext-COMMAND(1), and each topic one in section 7. " \
		"picknext help prints the same texts.")
	for (at = 5; lines[at] != "Topics:"; at++) {
		if (lines[at] ~ /^[^ ]/) {
			put_macro("SS", substr(lines[at], 1, length(lines[at]) - 1))
		} else if (lines[at] != "") {
			match(lines[at], /[^ ]+/)
			print ".TP\n\\fB" escape(substr(lines[at], RSTART, RLENGTH)) "\\fR"
			put_words(join_lines(column_of(lines[at]), NR))
		}
	}
	for (codes = at; lines[codes] !~ /^picknext exit-codes: /;) codes++
	print ".SH \"EXIT STATUS\""
	put_body(codes + 2, find_line("", codes + 2) - 1)
}

BEGIN {
	split("\\ - ' ` ^ ~", from, " ")
	split("\\e \\- \\(aq \\(ga \\(ha \\(ti", to, " ")
	for (i in from) escapes[from[i]] = to[i]
}

{ lines[NR] = $0 }

END {
	print ".TH " escape(toupper(name)) " " section " " date " \"picknext " version "\" \"picknext manual\""
	print ".SH \"NAME\"\n" escape(name) " \\-"
	if (name == "picknext") {
		print "record what the Linux scheduler decides, and compare kernels"
		put_program()
		put_references(0)
		exit
	}
	# "picknext NAME: SUMMARY"
	at = 1
	put_words(join_lines(index(lines[1], ": ") + 1, NR))
	if (section == 7) {
		print ".SH \"DESCRIPTION\""
		put_body(at + 2, NR)
	} else {
		put_command(at + 2)
	}
	put_references(1)
}
