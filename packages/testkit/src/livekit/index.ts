export { LivekitStandIn, type StandInEvent, type StandInParticipant } from './server.ts'
export { testLivekit, type TestLivekit } from './real-server.ts'
export { signWebhook } from './webhook.ts'
