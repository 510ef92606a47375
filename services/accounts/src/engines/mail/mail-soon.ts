import { setTimeout as sleep } from 'node:timers/promises'
import { mailNotSent } from '../../errors.ts'
import type { Mail, MailKind } from './mail.ts'
import type { Mailer } from './mailer.ts'

const waits = [300, 1_500]
const answerAfterMs = 3_500

type Sending = {
  kind: MailKind
  compose: (serverName: string) => Mail
  /** Reverts the preparations for a mail that is not sent. */
  undo: () => Promise<unknown>
}

/** Sends a mail. Throws `unavailable` if sending fails quickly; does not wait for a slow mail server. */
export async function mailSoon(
  { background }: { background: (work: Promise<unknown>) => void },
  mailer: Mailer,
  { kind, compose, undo }: Sending,
): Promise<void> {
  const deliver = async () => {
    const delivered = await mailer.deliver(kind, compose, waits)
    if (!delivered) await undo()
    return delivered
  }
  const delivery = deliver()
  background(delivery)
  const answered = new AbortController()
  const late = sleep(answerAfterMs, true, { signal: answered.signal }).catch(() => true)
  const delivered = await Promise.race([delivery, late]).finally(() => answered.abort())
  if (!delivered) throw mailNotSent()
}
