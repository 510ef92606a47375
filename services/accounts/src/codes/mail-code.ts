import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { mailNotSent } from '../errors.ts'
import type { Mail } from '../mail/mail.ts'
import type { Mailer, MailKind } from '../mail/mailer.ts'
import { uncountMail, type CodeKey } from '../store/email-codes.ts'

const waits = [300, 1_500]
const answerAfterMs = 3_500

/** Mails a code. Throws `unavailable` when that fails soon; a mail server that takes its time is not waited for. */
export async function mailCode(
  ctx: Context,
  mailer: Mailer,
  key: CodeKey,
  kind: MailKind,
  compose: (serverName: string) => Mail,
): Promise<void> {
  const deliver = async () => {
    const delivered = await mailer.deliver(kind, compose, waits)
    if (!delivered) await uncountMail(ctx.db, key)
    return delivered
  }
  const delivery = deliver()
  ctx.aside.run(() => delivery)
  const answered = new AbortController()
  const late = sleep(answerAfterMs, true, { signal: answered.signal }).catch(() => true)
  const delivered = await Promise.race([delivery, late]).finally(() => answered.abort())
  if (!delivered) throw mailNotSent()
}
