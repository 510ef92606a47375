import { counter } from '@parley/telemetry'

const posted = counter('parley.messaging.posted', {
  description: 'Messages posted with CreateMessage, without repeated calls',
  unit: '{message}',
})
const replayed = counter('parley.messaging.replayed', {
  description: 'Posts answered with the message that was posted before with the same key',
  unit: '{message}',
})
const combined = counter('parley.messaging.combined', {
  description: 'Posts that shared a database statement with others of their room',
  unit: '{message}',
})
const facts = counter('parley.messaging.facts_applied', {
  description: 'Facts about rooms that were applied',
  unit: '{fact}',
})
const roomEvents = counter('parley.messaging.room_events_applied', {
  description: 'Events that calls and uploads handed over and that were applied',
  unit: '{event}',
})
const unresolvedProfiles = counter('parley.messaging.profiles_unresolved', {
  description: 'Profiles not loaded because a call to accounts failed or timed out',
  unit: '{profile}',
})
const unresolvedHandles = counter('parley.messaging.handles_unresolved', {
  description: 'Handles not resolved because a call to accounts failed or timed out',
  unit: '{handle}',
})

export const countPosted = () => posted(1)
export const countReplayed = () => replayed(1)
export const countFacts = (applied: number) => facts(applied)
export const countRoomEvents = (applied: number) => roomEvents(applied)
export const countUnresolvedProfiles = (missing: number) => unresolvedProfiles(missing)
export const countUnresolvedHandles = (missing: number) => unresolvedHandles(missing)
export const countCombined = (posts: number) => combined(posts)
