import type { DatabaseHost } from '@parley/service'
import { applyFacts } from '../clients/messaging.ts'
import type { Context } from '../context.ts'
import { checkMessaging } from './check-messaging.ts'
import { endExpiredBans } from './end-expired-bans.ts'
import { fillPeople } from './fill-people.ts'
import { deliverLeftBehind } from './deliver-left-behind.ts'
import { makeLobby } from './make-lobby.ts'

export function startJobs(
  host: DatabaseHost,
  ctx: Context,
  { checkPausePerStepMs }: { checkPausePerStepMs?: number },
): void {
  const { signal } = host
  host.use(deliverLeftBehind(ctx, signal))
  host.use(checkMessaging(ctx, applyFacts(ctx.messaging), { signal, pausePerStepMs: checkPausePerStepMs }))
  host.use(endExpiredBans(ctx, signal))
  host.expireIdempotentAnswers()
  host.background(fillPeople(ctx, signal))
  host.background(makeLobby(ctx, signal).then(() => host.ready('first rooms')))
}
