/* Masking secrets in a command line, before it is stored. */
#ifndef VEF_CLI_CAPTURE_SECRETS_H
#define VEF_CLI_CAPTURE_SECRETS_H

/* Replaces secrets in a command line, quoted as for a shell, by "***", in place:
 *
 *   NAME=VALUE, NAME: VALUE         also within a quoted word, a URL or JSON
 *   -NAME VALUE, --NAME VALUE       unless VALUE begins with '-'
 *   -env NAME VALUE, -genv NAME VALUE
 *
 * where NAME, without regard to case and to '-' and '_', ends with password, passwd, passphrase,
 * token, secret, api key, access key, secret key, private key, credential(s), auth, authorization
 * or bearer. A value at the start of a quoted word extends to the end of that word. */
void vef_mask_secrets(char *text);

#endif
