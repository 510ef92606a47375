export { announcePresence } from './announce.ts'
export { Audiences } from './audiences.ts'
export { Presence } from './presence.ts'
