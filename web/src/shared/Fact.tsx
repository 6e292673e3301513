import type { ReactNode } from "react";

/** A named fact of a description list: `<dl><Fact name="…">…</Fact></dl>`. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
