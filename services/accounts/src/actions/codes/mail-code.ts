import type { Context } from '../../context.ts'
import { type Mail, type MailKind, sendMail, type Mailer } from '../../engines/mail/index.ts'
import type { IssuedCode } from './email-codes.ts'

/**
 * Sends the mail for a code. The mail contains the code or, if the address already has an account, says so instead.
 * Undoes the code if the mail cannot be sent. Throws `unavailable` if sending fails quickly; does not wait for a slow
 * mail server.
 */
export async function mailCode(
  ctx: Context,
  mailer: Mailer,
  { undo }: IssuedCode,
  kind: MailKind,
  compose: (serverName: string) => Mail,
): Promise<void> {
  await sendMail(ctx, mailer, { kind, compose, undo })
}
