import { setTimeout as sleep } from 'node:timers/promises'
import { currentTraceparent, withSpan } from '@parley/telemetry'
import { reportFailedMail, reportMailOverBudget, countSentMail } from '../../metrics.ts'
import type { MailBudget } from './mail-budget.ts'
import type { Mail, MailKind, Transport } from './mail.ts'

export type Mailer = {
  /**
   * Retries temporary failures after each of the pauses in `retryAfterMs`. Returns whether the mail was accepted; false
   * at once if too many mails are being sent or the hourly budget does not allow it.
   */
  deliver: (kind: MailKind, compose: (serverName: string) => Mail, retryAfterMs: readonly number[]) => Promise<boolean>
}

const maxInFlight = 500

export function createMailer(
  transport: Transport,
  { serverName, signal, budget }: { serverName: () => Promise<string>; signal: AbortSignal; budget: MailBudget },
): Mailer {
  let inFlight = 0
  return {
    async deliver(kind, compose, retryAfterMs) {
      if (inFlight >= maxInFlight) {
        reportFailedMail(kind, { code: 'too many mails at once' }, true)
        return false
      }
      inFlight++
      try {
        if (!(await budget.take(kind))) {
          reportMailOverBudget(kind)
          return false
        }
        const name = await serverName()
        const mail = compose(name)
        for (const wait of [...retryAfterMs, undefined]) {
          try {
            await sendInSpan(kind, () => transport.send(mail, name))
            countSentMail(kind)
            return true
          } catch (error) {
            const isFinal = wait === undefined || isPermanent(error) || signal.aborted
            reportFailedMail(kind, errorCodesOf(error), isFinal)
            if (isFinal) return false
            await sleep(wait, undefined, { signal }).catch(() => undefined)
          }
        }
        return false
      } finally {
        inFlight--
      }
    },
  }
}

function sendInSpan(kind: MailKind, send: () => Promise<void>): Promise<void> {
  if (currentTraceparent() === '') return send()
  const failure = (error: unknown) => {
    const { code, responseCode } = errorCodesOf(error)
    return String(responseCode ?? code ?? 'unknown')
  }
  return withSpan('send mail', { kind: 'client', attributes: { 'parley.kind': kind }, failure }, send)
}

/** Errors without a response count as temporary. */
const isPermanent = (error: unknown): boolean => {
  const { responseCode } = errorCodesOf(error)
  return responseCode !== undefined && responseCode >= 500
}

/** The message of the error is not logged, because it may contain the address. */
function errorCodesOf(error: unknown): { code?: string; responseCode?: number } {
  if (!(error instanceof Error)) return {}
  return {
    ...('code' in error && typeof error.code === 'string' && { code: error.code }),
    ...('responseCode' in error && typeof error.responseCode === 'number' && { responseCode: error.responseCode }),
  }
}
