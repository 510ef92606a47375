import type { MailConfig } from './settings.ts'

const timeouts = { connectionTimeout: 5_000, greetingTimeout: 5_000, dnsTimeout: 5_000, socketTimeout: 20_000 }

export function smtpOptions(config: MailConfig, host: string) {
  const { smtpTls, smtpTlsServerName, smtpUsername, smtpPassword } = config
  const implicit = smtpTls === 'implicit'
  return {
    host,
    port: config.smtpPort ?? (implicit ? 465 : 587),
    secure: implicit,
    requireTLS: smtpTls === 'mandatory',
    ...timeouts,
    ...(smtpUsername !== undefined && { auth: { user: smtpUsername, pass: smtpPassword ?? '' } }),
    tls: {
      rejectUnauthorized: !config.smtpTlsSkipVerify,
      ...(smtpTlsServerName !== undefined && { servername: smtpTlsServerName }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
