import { busFields, databaseFields, defineConfig, processFields } from '@parley/config'

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...databaseFields('notifications'),
})

export type Config = ReturnType<typeof readConfig>
