/* SPDX-License-Identifier: MIT
 *
 * The kernel that wrote a trace, parsed from the trace's uname. */
#ifndef TRACE_FORMAT_KERNEL_NAME_H
#define TRACE_FORMAT_KERNEL_NAME_H

/* Missing parts are "" and 0. */
struct kernel_name {
	char system[65];  /* "Linux" */
	char release[65]; /* "6.1.0-50-amd64" */
	char machine[65]; /* "x86_64" */
	unsigned int major, minor;
};

/* Parses "Linux 6.1.0-50-amd64 x86_64", or the longer form of trace-cmd with the host name and more. */
void kernel_name_parse(const char *uname, struct kernel_name *name);

#endif
