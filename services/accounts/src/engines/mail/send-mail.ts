import { setTimeout as sleep } from 'node:timers/promises'
import { mailNotSent } from '../../errors.ts'
import type { Mail, MailKind } from './mail.ts'
import type { Mailer } from './mailer.ts'

const retryAfterMs = [300, 1_500]
const respondAfterMs = 3_500

type Sending = {
  kind: MailKind
  compose: (serverName: string) => Mail
  undo: () => Promise<unknown>
}

/**
 * Waits for at most 3.5 s; after that, sending continues in the background. If the mail cannot be sent, `undo` is
 * called. Throws `unavailable` if that happens within the 3.5 s.
 */
export async function sendMail(
  { background }: { background: (work: Promise<unknown>) => void },
  mailer: Mailer,
  { kind, compose, undo }: Sending,
): Promise<void> {
  const deliverOrUndo = async () => {
    const delivered = await mailer.deliver(kind, compose, retryAfterMs)
    if (!delivered) await undo()
    return delivered
  }
  const delivery = deliverOrUndo()
  background(delivery)
  const responded = new AbortController()
  const timeout = sleep(respondAfterMs, true, { signal: responded.signal }).catch(() => true)
  const delivered = await Promise.race([delivery, timeout]).finally(() => responded.abort())
  if (!delivered) throw mailNotSent()
}
