/** All mistakes of a configuration. Contains no values of secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'

  /** One line per mistake, each naming the setting. */
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(`the configuration is not valid:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`)
    this.mistakes = mistakes
  }
}
