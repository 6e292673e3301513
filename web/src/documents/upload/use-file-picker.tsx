import { type ReactNode, useRef } from "react";

/** The browser's dialog for choosing files. `input` must be rendered; the same file can be chosen twice in a row. */
export function useFilePicker(
  onFiles: (files: File[]) => void,
  multiple = true,
): { pick: () => void; input: ReactNode } {
  const input = useRef<HTMLInputElement>(null);
  return {
    pick: () => input.current?.click(),
    input: (
      <input
        ref={input}
        type="file"
        hidden
        multiple={multiple}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          event.target.value = "";
          if (files.length > 0) onFiles(files);
        }}
      />
    ),
  };
}
