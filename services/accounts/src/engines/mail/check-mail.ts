import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import { startMailTls, check, codeOf, reasonOf, reportServerCertificate, type Report } from '@parley/doctor'
import { mailFields, type MailConfig } from './settings.ts'
import { smtpOptions } from './smtp-options.ts'

/**
 * Checks whether the mail server can be used or, without one, whether mails can be written to the folder. Sends no
 * mail.
 */
export const mailCheck = check('mail', mailFields, async (config, report) => {
  const { smtpEnabled, smtpHost: host, smtpFrom, mailDir } = config
  if (!smtpEnabled) return await checkWithoutServer(mailDir, report)
  if (host === undefined || smtpFrom === undefined)
    return report.fail(
      'mail.settings',
      `${host === undefined ? 'PARLEY_SMTP_HOST' : 'PARLEY_SMTP_FROM'} is not set, although PARLEY_SMTP_ENABLED is true`,
      'Set it, or set PARLEY_SMTP_ENABLED to false.',
    )
  const options = smtpOptions(config, host)
  const { port, secure, requireTLS } = options
  const { createTransport } = await import('nodemailer')
  const smtp = createTransport(options)
  try {
    await smtp.verify()
    report.ok(
      'mail.server',
      `${host}:${port} accepts ${config.smtpUsername === undefined ? 'connections without a login' : 'the configured login'}`,
    )
  } catch (error) {
    report.fail('mail.server', `${host}:${port} cannot be used: ${reasonOf(error)}`, adviceFor(error, config))
  } finally {
    smtp.close()
  }
  if (config.smtpTlsSkipVerify)
    report.warn(
      'mail.certificate',
      'the certificate of the mail server is not verified',
      'Set PARLEY_SMTP_TLS_SKIP_VERIFY to false.',
    )
  else if (secure || requireTLS) {
    const startTls = secure ? {} : { prelude: startMailTls }
    const servername = config.smtpTlsServerName
    await reportServerCertificate(report, 'mail.certificate', { host, port, servername, ...startTls })
  }
})

async function checkWithoutServer(mailDir: string | undefined, report: Report): Promise<void> {
  if (mailDir === undefined)
    return report.warn(
      'mail.server',
      'no mail is sent: nobody can confirm an address or reset a password',
      'Set PARLEY_SMTP_ENABLED, PARLEY_SMTP_HOST and PARLEY_SMTP_FROM.',
    )
  try {
    await assertWritable(mailDir)
    report.ok('mail.server', `mails are written to ${mailDir} instead of being sent`)
  } catch (error) {
    const next = 'Make the folder writable for the system user of the service accounts, or correct PARLEY_MAIL_DIR.'
    report.fail('mail.server', `mails cannot be written to ${mailDir}: ${reasonOf(error)}`, next)
  }
}

/** The first mail creates missing folders. */
async function assertWritable(folder: string): Promise<void> {
  try {
    await access(folder, constants.W_OK)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error
    await assertWritable(dirname(folder))
  }
}

function adviceFor(error: unknown, { smtpTls }: MailConfig): string {
  const code = codeOf(error)
  if (code === 'EAUTH')
    return 'Correct PARLEY_SMTP_USERNAME and PARLEY_SMTP_PASSWORD; some servers require an app password.'
  if (code === 'EDNS') return 'Correct PARLEY_SMTP_HOST, or its DNS entry.'
  if (code === 'ETLS' || /certificate|SSL|TLS/i.test(reasonOf(error)))
    return `PARLEY_SMTP_TLS is ${smtpTls}: choose the mode that the server supports on this port, and set PARLEY_SMTP_HOST or PARLEY_SMTP_TLS_SERVER_NAME to a name in its certificate.`
  return 'Check PARLEY_SMTP_HOST and PARLEY_SMTP_PORT; many networks block outgoing mail ports.'
}
