import { presenceHints, typingHints } from '@parley/events'
import type { Host } from '@parley/service'
import type { Metrics } from '../../metrics.ts'
import type { Hub } from './hub.ts'
import type { Intake } from './intake.ts'
import { PresenceHints } from './presence-hints.ts'
import { TypingHints } from './typing-hints.ts'

type Sockets = {
  publish: (topic: string, frame: Uint8Array) => void
  countSubscribers: (topic: string) => number
}
type Dependencies = { hub: Hub; intake: Intake; metrics: Metrics }

export function subscribeToHints(
  host: Host,
  { publish, countSubscribers }: Sockets,
  { hub, intake, metrics }: Dependencies,
): void {
  const onUnreadable = metrics.reportUnreadableHint
  const { users } = hub.access
  const presence = host.use(new PresenceHints({ publish, users, onUnreadable }))
  const typing = host.use(
    new TypingHints({
      ...{ publish, countSubscribers, onUnreadable },
      ...{ users, hintTopics: hub.hintTopics },
      catchUp: () => intake.flush(),
    }),
  )
  for (const [subject, hints] of [
    [presenceHints, presence],
    [typingHints, typing],
  ] as const) {
    const subscription = host.calls.nc.subscribe(subject, {
      callback: (error, message) => {
        if (!error) hints.receive(message.data)
      },
    })
    host.defer(`hints of ${subject}`, () => subscription.unsubscribe())
  }
}
