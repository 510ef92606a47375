import { ConfigError } from '@parley/config'
import type { MailConfig } from './settings.ts'
import type { Transport } from './mail.ts'

/**
 * Undefined if neither a mail server nor a folder is configured. Throws ConfigError if the configuration is incomplete.
 */
export function openTransport(config: MailConfig): Transport | undefined {
  const { smtpHost, smtpFrom, mailDir } = config
  if (config.smtpEnabled) {
    if (smtpHost !== undefined && smtpFrom !== undefined)
      return openedByFirstMail(async () => (await import('./smtp.ts')).smtpTransport(config, smtpHost, smtpFrom))
    throw new ConfigError([
      ...(smtpHost === undefined ? ['PARLEY_SMTP_HOST (smtp.host) is required, because smtp.enabled is true'] : []),
      ...(smtpFrom === undefined ? ['PARLEY_SMTP_FROM (smtp.from) is required, because smtp.enabled is true'] : []),
    ])
  }
  if (mailDir === undefined) return undefined
  return openedByFirstMail(async () => (await import('./mail-folder.ts')).mailFolder(mailDir, smtpFrom))
}

/** nodemailer takes 3 MiB, so a process loads it only when it sends a mail. */
function openedByFirstMail(open: () => Promise<Transport>): Transport {
  let transport: Promise<Transport> | undefined
  return {
    async send(mail, serverName) {
      transport ??= open()
      await (await transport).send(mail, serverName)
    },
    async [Symbol.asyncDispose]() {
      await (await transport)?.[Symbol.asyncDispose]()
    },
  }
}
