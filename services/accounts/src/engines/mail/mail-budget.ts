import { rateLimiter, type RedisClient } from '@parley/redis'
import { noticeKinds, type MailKind } from './mail.ts'

/** For all processes together. */
export type MailBudget = {
  /** False if the mail must not be sent. While Redis is unavailable, each process counts on its own. */
  take(kind: MailKind): Promise<boolean>
}

const hour = 3_600

/** Anybody can request these mails. They may use three quarters of the budget. */
const withoutSignIn: ReadonlySet<MailKind> = new Set(['registration_code', 'account_exists', 'password_reset'])
const notices: ReadonlySet<MailKind> = new Set(noticeKinds)

/** `perHour`: 0 for no limit. Notices are counted, but sent even if the budget is used up. */
export function mailBudget(redis: RedisClient, perHour: number): MailBudget {
  if (perHour === 0) return { take: () => Promise.resolve(true) }
  const limit = (key: string, points: number) => rateLimiter({ redis, key, points, durationSeconds: hour })
  const limitOfAll = limit('mails', perHour)
  const limitWithoutSignIn = limit('mails:anybody', Math.ceil((perHour * 3) / 4))
  return {
    async take(kind) {
      if (withoutSignIn.has(kind) && !(await limitWithoutSignIn.consume('all')).allowed) return false
      const { allowed } = await limitOfAll.consume('all')
      return allowed || notices.has(kind)
    },
  }
}
