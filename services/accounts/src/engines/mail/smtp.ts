import { createTransport } from 'nodemailer'
import type { MailConfig } from './settings.ts'
import { asMessage, type Transport } from './mail.ts'
import { smtpOptions } from './smtp-options.ts'

export function smtpTransport(config: MailConfig, host: string, from: string): Transport {
  const smtp = createTransport({ pool: true, maxConnections: 3, maxRequeues: 0, ...smtpOptions(config, host) })
  return {
    async send(mail, serverName) {
      await smtp.sendMail(asMessage(mail, from, serverName))
    },
    async [Symbol.asyncDispose]() {
      smtp.close()
    },
  }
}
