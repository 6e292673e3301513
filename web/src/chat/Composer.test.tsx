import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, configure, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { Composer } from "./Composer";

// Nothing here is hidden, and to find that out of every element takes seconds.
configure({ defaultHidden: true });

afterEach(cleanup);

function shown(value: string, isRunning = false) {
  const told = { onSend: vi.fn(), onStop: vi.fn(), onFiles: vi.fn() };
  const client = new QueryClient({ defaultOptions: { queries: { enabled: false } } });
  render(
    <QueryClientProvider client={client}>
      <Composer
        value={value}
        onChange={() => undefined}
        domains={[]}
        onDomains={() => undefined}
        strategy={null}
        onStrategy={() => undefined}
        onFiles={told.onFiles}
        onSend={told.onSend}
        onStop={isRunning ? told.onStop : null}
        onClose={() => undefined}
        place=""
      />
    </QueryClientProvider>,
  );
  return told;
}

function typed(value: string, key: object = {}) {
  const { onSend } = shown(value);
  fireEvent.keyDown(screen.getByLabelText("Question"), { key: "Enter", ...key });
  return onSend;
}

it("sends a question without the blanks around it", () => {
  expect(typed("  How long?  ")).toHaveBeenCalledWith("How long?");
});

it.each([
  ["that picks a word", { isComposing: true }],
  ["that has just picked one, as Safari tells it", { keyCode: 229 }],
  ["that breaks the line", { shiftKey: true }],
])("sends nothing with an Enter %s", (_, key) => {
  expect(typed("nihao", key)).not.toHaveBeenCalled();
});

it("keeps a question that is longer than the server takes, and says so", () => {
  expect(typed("字".repeat(32_001))).not.toHaveBeenCalled();
  expect(screen.getByRole("alert").textContent).toContain("32001");
});

it("counts characters, not halves of them", () => {
  expect(typed("😀".repeat(20_000))).toHaveBeenCalledOnce();
});

// The one button takes the place of the other under the pointer.
it.each([
  ["stops nothing", true],
  ["sends nothing", false],
])("with the second half of a double click %s", (_, isRunning) => {
  const { onSend, onStop } = shown("What was typed", isRunning);
  const button = screen.getByRole("button", { name: isRunning ? "Stop answering" : "Send" });
  fireEvent.click(button, { detail: 2 });
  expect([onSend, onStop].some((told) => told.mock.calls.length > 0)).toBe(false);
  fireEvent.click(button, { detail: 1 });
  expect(isRunning ? onStop : onSend).toHaveBeenCalledOnce();
});

it("takes files that are pasted, but not the picture that an office program adds to its text", () => {
  const { onFiles } = shown("");
  const files = [new File(["x"], "notes.md")];
  fireEvent.paste(screen.getByLabelText("Question"), { clipboardData: { files, types: ["text/plain", "Files"] } });
  expect(onFiles).not.toHaveBeenCalled();
  fireEvent.paste(screen.getByLabelText("Question"), { clipboardData: { files, types: ["Files"] } });
  expect(onFiles).toHaveBeenCalledWith(files);
});
