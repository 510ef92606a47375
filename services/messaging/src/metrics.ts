import { counter } from '@parley/telemetry'

const posted = counter('messages_posted', { description: 'Messages written into a line' })
const replayed = counter('messages_replayed', { description: 'Posts answered with an earlier message of the same key' })
const facts = counter('room_facts_applied', { description: 'Facts taken into a line' })
const roomEvents = counter('room_events_applied', { description: 'Events of calls and assets taken into a line' })
const unresolved = counter('profiles_unresolved', { description: 'Profiles that accounts did not give in time' })
const handles = counter('handles_unresolved', { description: 'Handles that accounts did not resolve in time' })
const combined = counter('messages_combined', { description: 'Messages written together with others of their room' })

export const countPosted = () => posted()
export const countReplayed = () => replayed()
export const countFacts = (applied: number) => facts(applied)
export const countRoomEvents = (applied: number) => roomEvents(applied)
export const countUnresolvedProfiles = (missing: number) => unresolved(missing)
export const countUnresolvedHandles = (missing: number) => handles(missing)
export const countCombined = (posts: number) => combined(posts)
