import { busFields, databaseFields, defineConfig, duration, processFields } from '@parley/config'

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...databaseFields('rooms'),
  handOverTimeoutMs: duration('PARLEY_ROOMS_HAND_OVER_TIMEOUT', {
    default: '4s',
    doc: 'how long a change of a room waits for messaging to apply it before it is answered with unavailable',
  }),
})

export type Config = ReturnType<typeof readConfig>
