import { assetsFields, busFields, databaseFields, defineConfig, processFields } from '@parley/config'

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...databaseFields('messaging'),
  ...assetsFields(),
})

export type Config = ReturnType<typeof readConfig>
