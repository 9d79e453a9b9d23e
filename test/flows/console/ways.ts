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
 * The ways in which tests look at the pages. Of the eight ways, the suite takes four, in which every two values meet. With
 * `ALL_WAYS=true` it takes all eight.
 */
export const WAYS: readonly Way[] =
  process.env['ALL_WAYS'] === 'true'
    ? ALL
    : ALL.filter(({ width, colorScheme, javaScriptEnabled }) => {
        const values = [width === 1280, colorScheme === 'light', javaScriptEnabled]
        return values.filter(Boolean).length % 2 === 1
      })
