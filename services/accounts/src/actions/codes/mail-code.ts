import type { Context } from '../../context.ts'
import { type Mail, type MailKind, mailSoon, type Mailer } from '../../engines/mail/index.ts'
import type { IssuedCode } from './email-codes.ts'

/** Mails a code, or another mail in its place. Throws `unavailable` if sending fails quickly; does not wait for a slow mail server. */
export async function mailCode(
  ctx: Context,
  mailer: Mailer,
  { takeBack }: IssuedCode,
  kind: MailKind,
  compose: (serverName: string) => Mail,
): Promise<void> {
  await mailSoon(ctx, mailer, { kind, compose, undo: takeBack })
}
