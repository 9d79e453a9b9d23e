/** One way in which a person may see the pages. */
export interface Way {
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
  readonly javaScriptEnabled: boolean
}

const ALL: readonly Way[] = [1280, 390].flatMap((width) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    [true, false].map((javaScriptEnabled) => ({ width, colorScheme, javaScriptEnabled })),
  ),
)

/**
 * The ways in which tests look at the pages. Of the eight ways, the suite takes two, which have each value once. With
 * `ALL_WAYS=true` it takes all eight.
 */
export const WAYS: readonly Way[] =
  process.env['ALL_WAYS'] === 'true' ? ALL : ALL.filter((_way, at) => at === 0 || at === ALL.length - 1)
