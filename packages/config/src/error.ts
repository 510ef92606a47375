/** Everything that is wrong with a configuration, found in one go. No secret's value is in it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'

  /** One line per mistake, each naming the setting. */
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(`the configuration is not valid:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`)
    this.mistakes = mistakes
  }
}
