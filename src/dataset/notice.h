/* SPDX-License-Identifier: MIT
 *
 * Formats messages for the listener of a build. */
#ifndef DATASET_NOTICE_H
#define DATASET_NOTICE_H

#include "dataset/request.h"

void notice_information(const struct dataset_listener *listener, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void notice_warning(const struct dataset_listener *listener, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
