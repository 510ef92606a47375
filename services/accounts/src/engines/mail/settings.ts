import { bool, duration, int, oneOf, port, secret, str, type ConfigOf } from '@parley/config'

export const mailFields = {
  smtpEnabled: bool('PARLEY_SMTP_ENABLED', {
    toml: 'smtp.enabled',
    default: false,
    doc: 'Whether mail is sent through a mail server; requires smtp.host and smtp.from.',
  }),
  smtpHost: str('PARLEY_SMTP_HOST', { toml: 'smtp.host', optional: true, doc: 'Name or address of the mail server.' }),
  smtpPort: port('PARLEY_SMTP_PORT', {
    toml: 'smtp.port',
    optional: true,
    doc: 'Port of the mail server; default: 465 for implicit TLS, 587 otherwise.',
  }),
  smtpTls: oneOf('PARLEY_SMTP_TLS', {
    toml: 'smtp.tls',
    values: ['mandatory', 'opportunistic', 'implicit'],
    default: 'mandatory',
    doc: 'TLS to the mail server. mandatory: STARTTLS is required; opportunistic: STARTTLS if the server offers it; implicit: TLS from the first byte.',
  }),
  smtpTlsServerName: str('PARLEY_SMTP_TLS_SERVER_NAME', {
    toml: 'smtp.tls_server_name',
    optional: true,
    doc: 'Name that the certificate of the mail server must contain, if it is not smtp.host.',
  }),
  smtpTlsSkipVerify: bool('PARLEY_SMTP_TLS_SKIP_VERIFY', {
    toml: 'smtp.tls_skip_verify',
    default: false,
    doc: 'Whether to accept any certificate of the mail server; only for tests.',
  }),
  smtpUsername: str('PARLEY_SMTP_USERNAME', {
    toml: 'smtp.username',
    optional: true,
    doc: 'User name for the mail server.',
  }),
  smtpPassword: secret('PARLEY_SMTP_PASSWORD', {
    toml: 'smtp.password',
    optional: true,
    doc: 'Password for the mail server.',
  }),
  smtpFrom: str('PARLEY_SMTP_FROM', {
    toml: 'smtp.from',
    optional: true,
    pattern: /^[^\r\n]*[^\s@]+@[^\s@]+$/,
    doc: 'Sender of every mail, such as `chat@example.org` or `Chat <chat@example.org>`.',
  }),
  mailsPerHour: int('PARLEY_SMTP_MAILS_PER_HOUR', {
    toml: 'smtp.mails_per_hour',
    default: 3_000,
    min: 0,
    doc: 'Mails per hour from all processes; 0: no limit. Those requested without signing in get three quarters; account notices are always sent.',
  }),
  mailDir: str('PARLEY_MAIL_DIR', {
    optional: true,
    doc: 'Folder to which each mail is written as a file if smtp.enabled is false.',
  }),
}

export const emailCodeFields = {
  codeTtlMs: duration('PARLEY_AUTH_EMAIL_OTP_TTL', {
    toml: 'auth.email_otp.ttl',
    default: '15m',
    min: 60_000,
    doc: 'How long a mailed code is valid.',
  }),
  maxDeliveredCodes: int('PARLEY_AUTH_EMAIL_OTP_MAX_DELIVERED_CODES', {
    toml: 'auth.email_otp.max_delivered_codes',
    default: 10,
    min: 1,
    doc: 'Maximum number of codes mailed to one address for one purpose within the lifetime of a code.',
  }),
  maxWrongAttempts: int('PARLEY_AUTH_EMAIL_OTP_MAX_WRONG_ATTEMPTS', {
    toml: 'auth.email_otp.max_wrong_attempts',
    default: 5,
    min: 1,
    doc: 'Maximum number of wrong codes entered for one address and purpose within the lifetime of a code.',
  }),
  codeThrottling: bool('PARLEY_AUTH_EMAIL_OTP_THROTTLING_ENABLED', {
    toml: 'auth.email_otp.throttling_enabled',
    default: true,
    doc: 'Whether the limits max_delivered_codes and max_wrong_attempts apply; without them, codes can be guessed.',
  }),
}

export type MailConfig = ConfigOf<typeof mailFields>
