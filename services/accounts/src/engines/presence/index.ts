export { presenceAnnouncer } from './announce.ts'
export { Audiences } from './audiences.ts'
export { Presence } from './presence.ts'
