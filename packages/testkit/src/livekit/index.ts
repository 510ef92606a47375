export { FakeLivekit, type FakeLivekitEvent, type FakeParticipant } from './server.ts'
export { testLivekit, type TestLivekit } from './real-server.ts'
export { signWebhook } from './webhook.ts'
