import type { Context } from '../../context.ts'
import { type Mail, type MailKind, mailSoon, type Mailer } from '../../engines/mail/index.ts'
import { uncountMail, type CodeKey } from '../../store/email-codes.ts'

/** Mails a code. Throws `unavailable` if sending fails quickly; does not wait for a slow mail server. */
export async function mailCode(
  ctx: Context,
  mailer: Mailer,
  key: CodeKey,
  kind: MailKind,
  compose: (serverName: string) => Mail,
): Promise<void> {
  await mailSoon(ctx, mailer, { kind, compose, undo: () => uncountMail(ctx.db, key) })
}
