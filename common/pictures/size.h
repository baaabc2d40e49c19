/* The size of a picture in print: the keys of the option --figure, and of `figure` in a study. */
#ifndef VEF_COMMON_PICTURES_SIZE_H
#define VEF_COMMON_PICTURES_SIZE_H

#include "common/config/config.h"
#include "common/pictures/picture.h"

extern const vef_param vef_picture_size_schema[]; /* of a vef_picture_size */

/* Refuses sizes at which texts have no room. */
vef_code vef_picture_size_check(const vef_picture_size *size, vef_error *error);

/* Reads "width=84mm,font=8"; NULL: the default. */
vef_code vef_picture_size_read(const char *text, vef_picture_size *size, vef_error *error);

#endif
