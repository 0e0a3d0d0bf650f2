/* SPDX-License-Identifier: MIT */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "base/sink.h"
#include "report/model.h"

/* Writes the whole page. */
enum status report_page_write(const struct report *report, struct sink *sink, struct error *err);

#endif
