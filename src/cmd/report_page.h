/* SPDX-License-Identifier: MIT */
#ifndef CMD_REPORT_PAGE_H
#define CMD_REPORT_PAGE_H

extern const char report_style[];

#endif
