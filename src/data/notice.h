/* SPDX-License-Identifier: MIT
 *
 * Formats messages for the listener of a build. */
#ifndef DATA_NOTICE_H
#define DATA_NOTICE_H

#include "data/request.h"

void notice_information(const struct dataset_listener *listener, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void notice_warning(const struct dataset_listener *listener, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
