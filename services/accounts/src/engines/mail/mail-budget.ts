import { rateLimiter, type RedisClient } from '@parley/redis'
import { noticeKinds, type MailKind } from './mail.ts'

/** Limits the number of mails of all processes together. */
export type MailBudget = {
  /** Counts a mail; false if it must not be sent. */
  take(kind: MailKind): Promise<boolean>
}

const hour = 3_600

/** Mails that people who are not signed in can request; they leave a quarter of the budget to others. */
const forAnybody: ReadonlySet<MailKind> = new Set(['registration_code', 'account_exists', 'password_reset'])
const notices: ReadonlySet<MailKind> = new Set(noticeKinds)

/** A budget of mails per hour; 0: no limit. */
export function mailBudget(redis: RedisClient, perHour: number): MailBudget {
  if (perHour === 0) return { take: () => Promise.resolve(true) }
  const limit = (key: string, points: number) => rateLimiter({ redis, key, points, durationSeconds: hour })
  const all = limit('mails', perHour)
  const ofAnybody = limit('mails:anybody', Math.ceil((perHour * 3) / 4))
  return {
    async take(kind) {
      if (forAnybody.has(kind) && !(await ofAnybody.consume('all')).allowed) return false
      const { allowed } = await all.consume('all')
      return allowed || notices.has(kind)
    },
  }
}
