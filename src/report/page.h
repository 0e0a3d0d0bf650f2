/* SPDX-License-Identifier: MIT */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/model.h"

/* Writes the whole page to path; - is standard output. */
enum status report_page_write(const struct report *report, const char *path, struct error *err);

#endif
