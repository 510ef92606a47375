import { assetsFields, busFields, databaseFields, defineConfig, editFields, processFields } from '@parley/config'

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...databaseFields('messaging'),
  ...assetsFields(),
  ...editFields(),
})

export type Config = ReturnType<typeof readConfig>
