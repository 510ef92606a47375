import { setTimeout as sleep } from 'node:timers/promises'
import { currentTraceparent, withSpan } from '@parley/telemetry'
import { mailFailed, mailOverBudget, mailSent } from '../../metrics.ts'
import type { MailBudget } from './mail-budget.ts'
import type { Mail, MailKind, Transport } from './mail.ts'

export type Mailer = {
  /**
   * Sends a mail, and retries after each of `waits` while the failure may be temporary. Returns whether a server accepted
   * it; false at once if too many mails wait or the hourly budget is used up.
   */
  deliver: (kind: MailKind, compose: (serverName: string) => Mail, waits: readonly number[]) => Promise<boolean>
}

const maxInFlight = 500

export function createMailer(
  transport: Transport,
  { serverName, signal, budget }: { serverName: () => Promise<string>; signal: AbortSignal; budget: MailBudget },
): Mailer {
  let underWay = 0
  return {
    async deliver(kind, compose, waits) {
      if (underWay >= maxInFlight) {
        mailFailed(kind, { code: 'too many wait' }, true)
        return false
      }
      underWay++
      try {
        if (!(await budget.take(kind))) {
          mailOverBudget(kind)
          return false
        }
        const name = await serverName()
        const mail = compose(name)
        for (const wait of [...waits, undefined]) {
          try {
            await sendSpan(kind, () => transport.send(mail, name))
            mailSent(kind)
            return true
          } catch (error) {
            const lasts = wait === undefined || isRefusal(error) || signal.aborted
            mailFailed(kind, troubleOf(error), lasts)
            if (lasts) return false
            await sleep(wait, undefined, { signal }).catch(() => undefined)
          }
        }
        return false
      } finally {
        underWay--
      }
    },
  }
}

/** Sends a mail inside a span of the trace that caused it, which never says to whom; without one if there is none. */
function sendSpan(kind: MailKind, send: () => Promise<void>): Promise<void> {
  if (currentTraceparent() === '') return send()
  const failure = (error: unknown) => {
    const { code, responseCode } = troubleOf(error)
    return String(responseCode ?? code ?? 'unknown')
  }
  return withSpan('send mail', { kind: 'client', attributes: { 'parley.kind': kind }, failure }, send)
}

/** The mail server refused permanently: a retry would fail too. */
const isRefusal = (error: unknown): boolean => {
  const { responseCode } = troubleOf(error)
  return responseCode !== undefined && responseCode >= 500
}

/** The part of an error that may be logged: its text can contain the address. */
function troubleOf(error: unknown): { code?: string; responseCode?: number } {
  if (!(error instanceof Error)) return {}
  return {
    ...('code' in error && typeof error.code === 'string' && { code: error.code }),
    ...('responseCode' in error && typeof error.responseCode === 'number' && { responseCode: error.responseCode }),
  }
}
