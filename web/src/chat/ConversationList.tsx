export function ConversationList() {
  return <div className="conversations" />;
}
