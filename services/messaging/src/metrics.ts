import { counter } from '@parley/telemetry'

const posted = counter('parley.messaging.posted', {
  description: 'Messages written to the log of a room',
  unit: '{message}',
})
const replayed = counter('parley.messaging.replayed', {
  description: 'Posts answered with the message that was posted before with the same key',
  unit: '{message}',
})
const combined = counter('parley.messaging.combined', {
  description: 'Messages written together with others of their room',
  unit: '{message}',
})
const facts = counter('parley.messaging.facts_applied', {
  description: 'Facts about rooms that were applied',
  unit: '{fact}',
})
const roomEvents = counter('parley.messaging.room_events_applied', {
  description: 'Events of calls and assets that were applied',
  unit: '{event}',
})
const unresolved = counter('parley.messaging.profiles_unresolved', {
  description: 'Profiles that accounts did not return in time',
  unit: '{profile}',
})
const handles = counter('parley.messaging.handles_unresolved', {
  description: 'Handles that accounts did not resolve in time',
  unit: '{handle}',
})

export const countPosted = () => posted(1)
export const countReplayed = () => replayed(1)
export const countFacts = (applied: number) => facts(applied)
export const countRoomEvents = (applied: number) => roomEvents(applied)
export const countUnresolvedProfiles = (missing: number) => unresolved(missing)
export const countUnresolvedHandles = (missing: number) => handles(missing)
export const countCombined = (posts: number) => combined(posts)
