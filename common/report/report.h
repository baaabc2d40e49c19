/* The formats of reports. */
#ifndef VEF_COMMON_REPORT_REPORT_H
#define VEF_COMMON_REPORT_REPORT_H

#include "common/report/doc.h"

extern const vef_doc_syntax vef_json;

#endif
