import { busFields, databaseFields, defineConfig, processFields, timerDuration } from '@parley/config'

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...databaseFields('rooms'),
  deliveryTimeoutMs: timerDuration('PARLEY_ROOMS_HAND_OVER_TIMEOUT', {
    default: '4s',
    doc: 'maximum time that a change of a room waits until messaging has applied it; after that the call fails with unavailable',
  }),
})

export type Config = ReturnType<typeof readConfig>
