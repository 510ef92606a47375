import { ConfigError } from '@parley/config'
import type { MailConfig } from './settings.ts'
import type { Transport } from './mail.ts'
import { mailFolder } from './mail-folder.ts'
import { smtpTransport } from './smtp.ts'

/** Undefined if none is configured. Throws ConfigError if the configuration is incomplete. */
export function openTransport(config: MailConfig): Transport | undefined {
  const { smtpHost, smtpFrom, mailDir } = config
  if (config.smtpEnabled) {
    if (smtpHost !== undefined && smtpFrom !== undefined) return smtpTransport(config, smtpHost, smtpFrom)
    throw new ConfigError([
      ...(smtpHost === undefined ? ['PARLEY_SMTP_HOST (smtp.host) is required, because smtp.enabled is true'] : []),
      ...(smtpFrom === undefined ? ['PARLEY_SMTP_FROM (smtp.from) is required, because smtp.enabled is true'] : []),
    ])
  }
  return mailDir === undefined ? undefined : mailFolder(mailDir, smtpFrom)
}
