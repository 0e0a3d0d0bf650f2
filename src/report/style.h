/* SPDX-License-Identifier: MIT */
#ifndef REPORT_STYLE_H
#define REPORT_STYLE_H

/* The page's style sheet. */
extern const char *const report_style;

#endif
